"""{'ops': ['url-encode', 'password', 'policy'], 'rate': 50, 'after': ('insert', 2)}"""
import sys, os
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import junk
junk.main(96)
