"""{'rate': 20, 'inside': {'digest': ('in_xor', 100)}}"""
import sys, os
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import junk
junk.main(11)
