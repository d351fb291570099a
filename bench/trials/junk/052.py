"""{'rate': 100, 'after': ('insert', 4)}"""
import sys, os
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import junk
junk.main(52)
